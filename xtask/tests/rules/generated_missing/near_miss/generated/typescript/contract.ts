// Edited by hand.
