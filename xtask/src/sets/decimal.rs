//! Exact decimal numbers: an integer times a power of ten, of any size.
//!
//! No operation writes out a power of ten that the answer does not need, so
//! that `1e400000000` costs no more than `1`.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Most digits that a written number may have.
const MAX_DIGITS: usize = 5_000;
/// Largest power of ten, either way, that a number may have.
const MAX_EXPONENT: i64 = 1 << 40;
/// Furthest apart two exponents may lie for a sum or a common multiple.
const MAX_SPREAD: i64 = 2_000;

/// A number; the mantissa has no trailing zero, and zero has exponent 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: BigInt,
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` if it is malformed or beyond the limits.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let (sign, whole) = match whole.strip_prefix('-') {
            Some(rest) => (Sign::Minus, rest),
            None => (Sign::Plus, whole),
        };
        let digits = format!("{whole}{fraction}");
        if digits.len() > MAX_DIGITS || exponent.abs() > MAX_EXPONENT {
            return None;
        }
        let kept = digits.trim_end_matches('0');
        let dropped = i64::try_from(digits.len() - kept.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let magnitude = kept.parse::<num_bigint::BigUint>().unwrap_or_default();
        let mantissa = BigInt::from_biguint(sign, magnitude);
        Some(Self::normal(mantissa, exponent - places + dropped))
    }

    /// Returns an integer as a number.
    pub fn from_int(value: impl Into<BigInt>) -> Self {
        Self::normal(value.into(), 0)
    }

    fn normal(mut mantissa: BigInt, mut exponent: i64) -> Self {
        if mantissa.sign() == Sign::NoSign {
            return Self {
                mantissa,
                exponent: 0,
            };
        }
        let ten = BigInt::from(10);
        while (&mantissa % &ten).sign() == Sign::NoSign {
            mantissa /= &ten;
            exponent += 1;
        }
        Self { mantissa, exponent }
    }

    /// Says whether the number has no fraction; `1.0` is an integer.
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Says whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.mantissa.sign() == Sign::NoSign
    }

    /// Says whether this is above zero.
    pub fn is_positive(&self) -> bool {
        self.mantissa.sign() == Sign::Plus
    }

    /// Says whether this is an integer multiple of `step`, which is positive.
    pub fn is_multiple_of(&self, step: &Self) -> bool {
        if self.is_zero() {
            return true;
        }
        let shift = self.exponent - step.exponent;
        // A mantissa without trailing zeros is no multiple of ten.
        if shift < 0 || step.is_zero() {
            return false;
        }
        let power = BigInt::from(10).modpow(&BigInt::from(shift), &step.mantissa);
        ((&self.mantissa * power) % &step.mantissa).sign() == Sign::NoSign
    }

    /// Writes several numbers over one power of ten; `None` if they lie too
    /// far apart.
    pub fn aligned(numbers: &[&Self]) -> Option<(Vec<BigInt>, i64)> {
        let live = || numbers.iter().filter(|number| !number.is_zero());
        let low = live().map(|number| number.exponent).min().unwrap_or(0);
        let high = live().map(|number| number.exponent).max().unwrap_or(0);
        if high - low > MAX_SPREAD {
            return None;
        }
        let scaled = numbers.iter().map(|number| {
            let shift = u32::try_from(number.exponent - low).unwrap_or(0);
            &number.mantissa * BigInt::from(10).pow(shift)
        });
        Some((scaled.collect(), low))
    }

    /// Returns an integer over a power of ten as a number.
    pub fn scaled(mantissa: BigInt, exponent: i64) -> Self {
        Self::normal(mantissa, exponent)
    }

    /// Returns the nearest double, held inside the finite range, and whether
    /// it is exactly this number.
    pub fn to_f64(&self) -> (f64, bool) {
        let text = format!("{}e{}", self.mantissa, self.exponent);
        let nearest = text.parse::<f64>().unwrap_or(0.0);
        let nearest = nearest.clamp(f64::MIN, f64::MAX);
        let back = Self::parse(&format!("{nearest:e}"));
        (nearest, back.as_ref() == Some(self))
    }

    /// Returns the integer that this is, if it is one and small.
    pub fn to_i128(&self) -> Option<i128> {
        let power = 10i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        i128::try_from(&self.mantissa).ok()?.checked_mul(power)
    }

    /// Returns this times a power of ten.
    pub fn shifted(&self, places: i64) -> Self {
        Self::normal(self.mantissa.clone(), self.exponent + places)
    }

    /// Says whether every common reader holds this number exactly.
    pub fn is_handy(&self) -> bool {
        let whole = self.to_i128().and_then(|whole| i64::try_from(whole).ok());
        whole.is_some() || self.to_f64().1
    }

    /// Returns what an operation on this number costs: one, and more if it is
    /// long.
    pub fn n_words(&self) -> u64 {
        1 + self.mantissa.bits() / 64
    }

    /// Where the first digit stands.
    pub fn magnitude(&self) -> i64 {
        let digits = self.mantissa.magnitude().to_string().len();
        i64::try_from(digits).unwrap_or(i64::MAX) + self.exponent
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.mantissa.sign().cmp(&other.mantissa.sign());
        if signs != Ordering::Equal || self.is_zero() {
            return signs;
        }
        if self.exponent == other.exponent {
            return self.mantissa.cmp(&other.mantissa);
        }
        let sizes = match self.magnitude().cmp(&other.magnitude()) {
            // Equal sizes: the exponents lie no further apart than the digits.
            Ordering::Equal => {
                let low = self.exponent.min(other.exponent);
                let raise = |number: &Self| {
                    let shift = u32::try_from(number.exponent - low).unwrap_or(0);
                    BigInt::from(number.mantissa.magnitude().clone()) * BigInt::from(10).pow(shift)
                };
                raise(self).cmp(&raise(other))
            }
            sizes => sizes,
        };
        if self.is_positive() {
            sizes
        } else {
            sizes.reverse()
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i32> for Decimal {
    fn from(value: i32) -> Self {
        Self::from_int(value)
    }
}
