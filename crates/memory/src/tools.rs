//! The tools, one handler per file. Each gets the view that its `access`
//! allows, and nothing else of the store.

use crate::Memory;

contract::implement_tools!(Memory);
