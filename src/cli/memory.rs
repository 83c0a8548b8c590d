//! How much memory a run may take, and how it is shared out.

use crate::pipeline::Plan;
use std::str::FromStr;

/// A number of bytes as users write it: `512M`, `4G`, `1.5GiB`; powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let number_len = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_len);
        let power = match unit.trim_end_matches("iB").trim_end_matches('B').to_ascii_uppercase().as_str() {
            "" => 0,
            "K" => 1,
            "M" => 2,
            "G" => 3,
            "T" => 4,
            _ => return Err("expected a number of bytes such as 512M or 4G".to_string()),
        };
        let number: f64 = number.parse().map_err(|_| "expected a number of bytes such as 512M or 4G".to_string())?;
        let bytes = number * 1024f64.powi(power);
        if bytes < 1024.0 * 1024.0 {
            return Err("expected at least 1M".to_string());
        }
        Ok(Size(bytes as u64))
    }
}

/// Memory shared out among the steps of linking, none of which runs beside another that takes much.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: u64,
}

impl Budget {
    /// What the user says, or a quarter of what the machine has.
    pub fn new(asked: Option<Size>) -> Budget {
        Budget { bytes: asked.map_or_else(|| machine() / 4, |size| size.0) }
    }

    /// The whole.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// For the linker's parts: linking them takes several times as much for its tables, and while they come in, columns
    /// are under construction.
    pub fn part_bytes(self) -> usize {
        usize::try_from(self.bytes / 6).unwrap_or(usize::MAX)
    }

    /// For the input of a unit of work: its columns and their encoding take several times that, in each thread.
    pub fn unit_bytes(self) -> usize {
        usize::try_from(self.bytes / 32).unwrap_or(usize::MAX).clamp(1 << 20, Plan::ROW_GROUP_BYTES)
    }
}

/// Bytes of memory of the machine, or of the control group when that has less.
fn machine() -> u64 {
    // SAFETY: sysconf has no preconditions.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let installed = u64::try_from(pages).unwrap_or(1 << 20) * u64::try_from(page).unwrap_or(4096);
    let of_group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    installed.min(of_group.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        let size = |text: &str| text.parse::<Size>().map(|size| size.0);
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("2097152"), Ok(2 << 20));
        assert_eq!(size("1MB"), Ok(1 << 20));
        for wrong in ["", "M", "4X", "1000", "-5M", "1.2.3M"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn small_budgets_make_small_units_and_large_ones_no_larger_than_a_row_group() {
        let units = |text: &str| Budget::new(text.parse().ok()).unit_bytes();
        assert_eq!((units("1M"), units("512M"), units("64G")), (1 << 20, 16 << 20, Plan::ROW_GROUP_BYTES));
        assert!(Budget::new(None).bytes() > 1 << 20);
    }
}
