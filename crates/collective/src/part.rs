//! `Part`: some of the units of some work.

/// Some of the units of some work: every n-th.
///
/// ```
/// use lethe_collective::Part;
///
/// let part: Part = "1/3".parse()?;
/// assert_eq!((0..8).filter(|&unit| part.has(unit)).collect::<Vec<_>>(), [1, 4, 7]);
/// assert!("3/3".parse::<Part>().is_err());
/// # Ok::<(), lethe_collective::PartError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    index: usize,
    of: usize,
}

impl Part {
    /// All units.
    pub const ALL: Part = Part { index: 0, of: 1 };

    /// Whether a unit belongs to it.
    pub fn has(self, unit: usize) -> bool {
        unit % self.of == self.index
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// How many parts there are.
    pub fn of(self) -> usize {
        self.of
    }

    /// Reads `1/3`, or `auto/3` by what the scheduler says in its variables.
    fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Part, PartError> {
        let wrong = || PartError::Text(text.to_owned());
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let of: usize = of.trim().parse().map_err(|_| wrong())?;
        let index = match index.trim() {
            "auto" => {
                let number = |name: &'static str| -> Result<Option<usize>, PartError> {
                    let Some(value) = variable(name) else { return Ok(None) };
                    let wrong = |_| PartError::Variable { name, value: value.clone() };
                    value.trim().parse().map(Some).map_err(wrong)
                };
                match (number("SLURM_ARRAY_TASK_ID")?, number("JOB_COMPLETION_INDEX")?) {
                    (Some(task), _) => {
                        let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
                        task.checked_sub(first).ok_or_else(wrong)?
                    }
                    (None, Some(index)) => index,
                    (None, None) => return Err(PartError::NoVariable),
                }
            }
            index => index.parse().map_err(|_| wrong())?,
        };
        match index < of {
            true => Ok(Part { index, of }),
            false => Err(PartError::TooLarge { index, of }),
        }
    }
}

impl std::str::FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Part, PartError> {
        Part::read(text, |name| std::env::var(name).ok())
    }
}

/// A part that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// Something else than a part.
    #[error("expected a part such as 0/8 or auto/8, found '{}'", .0.escape_debug())]
    Text(String),
    /// A number beyond the parts.
    #[error("there is no part {index} of {of}; parts are numbered from 0")]
    TooLarge {
        /// The number.
        index: usize,
        /// The parts.
        of: usize,
    },
    /// A variable that is no number.
    #[error("{name} is '{}', not a number", value.escape_debug())]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// No scheduler says which part this is.
    #[error(
        "auto needs SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, and neither is set; give the number \
         of the part"
    )]
    NoVariable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_every_nth_unit_and_read_from_the_scheduler() {
        let read = |text: &str, set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            Part::read(text, variable).map(|part| (part.index(), part.of()))
        };
        assert_eq!(read("2/5", &[]), Ok((2, 5)));
        let slurm = [("SLURM_ARRAY_TASK_ID", "12"), ("SLURM_ARRAY_TASK_MIN", "10")];
        assert_eq!(read("auto/5", &slurm), Ok((2, 5)));
        assert_eq!(read("auto/13", &slurm[..1]), Ok((12, 13)));
        assert_eq!(read("auto/5", &[("JOB_COMPLETION_INDEX", "4")]), Ok((4, 5)));
        assert_eq!(read("auto/2", &slurm), Err(PartError::TooLarge { index: 2, of: 2 }));
        assert_eq!(read("auto/2", &[]), Err(PartError::NoVariable));
        for text in ["", "3", "1/0", "5/5", "-1/5", "a/5", "1/2/3", "auto/x"] {
            assert!(read(text, &slurm).is_err(), "{text}");
        }
        let bad = [("JOB_COMPLETION_INDEX", "x")];
        assert!(
            read("auto/5", &bad).unwrap_err().to_string().contains("JOB_COMPLETION_INDEX is 'x'")
        );
        for of in 1..9 {
            let parts = (0..of).map(|index| Part { index, of });
            let mut units: Vec<usize> =
                parts.flat_map(|part| (0..100).filter(move |&unit| part.has(unit))).collect();
            units.sort_unstable();
            assert!(units.into_iter().eq(0..100), "each unit is in one part of {of}");
        }
    }
}
