//! `scan_hygiene`: raises disputes about memories that are alike or at odds.

use contract::tools::SCAN_HYGIENE_LIMIT_DEFAULT;
use contract::types::{ScanHygieneInput, ScanHygieneOutput};
use store::Append;

use crate::{Call, Keeper, hygiene};

pub(crate) fn scan_hygiene(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: ScanHygieneInput,
) -> Result<ScanHygieneOutput, contract::Error> {
    let limit = input.limit.unwrap_or(SCAN_HYGIENE_LIMIT_DEFAULT);
    Ok(hygiene::scan(view, usize::try_from(limit).unwrap_or(1), memory.now())?)
}
