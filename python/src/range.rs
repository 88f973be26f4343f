//! `Range`: 1,326 weights.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use lethe_cards::{Hole, Range as Weights, StartingHand};
use lethe_kit::plot::grid::range_grid;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::Failure;

/// A range of hands: 1,326 weights from 0 to 1 in millionths, and the text that players write.
///
/// Made from text, from an array of 1,326 weights in the order of `lethe.hole_index`, or from another range.
///
/// >>> import lethe
/// >>> r = lethe.Range("QQ+,AKs:0.5")
/// >>> r.combos, len(r), r["AsKs"]
/// (20.0, 22, 0.5)
/// >>> lethe.Range(r.weights) == r
/// True
/// >>> print(r)
/// QQ+,AKs:0.5
#[pyclass(frozen, module = "lethe", name = "Range")]
#[derive(Clone, Debug)]
pub(crate) struct Range(pub(crate) Weights);

impl Range {
    fn from_weights(values: &[f64]) -> Result<Range, Failure> {
        if values.len() != Hole::COUNT {
            return Err(Failure::Input(format!("expected 1326 weights, found {}", values.len())));
        }
        let mut range = Weights::empty();
        for (hole, &weight) in Hole::all().zip(values) {
            if !(0.0..=1.0).contains(&weight) {
                return Err(Failure::Input(format!(
                    "the weight of {hole} is {weight}; expected a number from 0 to 1"
                )));
            }
            range.set(hole, (weight * f64::from(Weights::ONE)).round() as u32);
        }
        Ok(Range(range))
    }

    fn hole(hand: &str) -> Result<Hole, Failure> {
        hand.parse().map_err(|error| Failure::pointing(&error, hand))
    }
}

#[pymethods]
impl Range {
    #[new]
    fn new(value: &Bound<'_, PyAny>) -> Result<Range, Failure> {
        if let Ok(text) = value.extract::<&str>() {
            return match text.parse() {
                Ok(range) => Ok(Range(range)),
                Err(error) => Err(Failure::pointing(&error, text)),
            };
        }
        if let Ok(range) = value.cast::<Range>() {
            return Ok(range.get().clone());
        }
        let wrong = || {
            let message = "expected a range as text, or 1,326 weights";
            Failure::Python(PyTypeError::new_err(message))
        };
        let numpy = value.py().import("numpy")?;
        let array = numpy.call_method1("ascontiguousarray", (value,)).map_err(|_| wrong())?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        if !matches!(kind.as_str(), "f" | "i" | "u") {
            return Err(wrong());
        }
        let array = array.call_method1("astype", ("float64",)).map_err(|_| wrong())?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        let array: PyReadonlyArray1<'_, f64> = array.extract().map_err(|_| {
            Failure::Input(format!(
                "expected 1326 weights in one dimension, found the shape {shape:?}"
            ))
        })?;
        Range::from_weights(array.as_slice().map_err(PyErr::from)?)
    }

    /// Every hand.
    #[staticmethod]
    fn full() -> Range {
        Range(Weights::full())
    }

    /// No hand.
    #[staticmethod]
    fn empty() -> Range {
        Range(Weights::empty())
    }

    /// The 1,326 weights, from 0 to 1, in the order of `lethe.hole_index`.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let weight = |&ppm: &u32| f64::from(ppm) / f64::from(Weights::ONE);
        self.0.weights().iter().map(weight).collect::<Vec<f64>>().into_pyarray(py)
    }

    /// The shortest text of the range.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// The number of hands, each counted by its weight.
    #[getter]
    fn combos(&self) -> f64 {
        self.0.combos()
    }

    /// The hands of weight above zero, as text.
    #[getter]
    fn hands(&self) -> Vec<String> {
        self.0.iter().map(|(hole, _)| hole.to_string()).collect()
    }

    /// The mean weight of each of the 169 starting hands, 13 by 13: aces first, suited above the diagonal.
    #[getter]
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        let view = lethe_kit::grid::GridView::of(
            "",
            &self
                .0
                .iter()
                .map(|(hole, ppm)| lethe_kit::grid::Combo {
                    hole,
                    reach: f64::from(ppm) / f64::from(Weights::ONE),
                    frequencies: None,
                })
                .collect::<Vec<_>>(),
            &[],
            &lethe_cards::Board::EMPTY,
        );
        let values: Vec<f64> = view.cells.iter().map(|cell| cell.arrived()).collect();
        values.into_pyarray(py).reshape([13, 13])
    }

    /// The range without the hands that hold one of these cards.
    fn without(&self, cards: &str) -> Result<Range, Failure> {
        let dead =
            lethe_cards::parse_cards(cards).map_err(|error| Failure::pointing(&error, cards))?;
        Ok(Range(self.0.without(dead.into_iter().collect())))
    }

    /// The weight of a hand such as `AsKs`, or the mean weight of a starting hand such as `AKs`.
    fn __getitem__(&self, hand: &str) -> Result<f64, Failure> {
        let ppm = match StartingHand::all().find(|class| class.to_string() == hand.trim()) {
            Some(class) => {
                let sum: f64 = class.holes().map(|hole| f64::from(self.0.weight(hole))).sum();
                sum / class.combos() as f64
            }
            None => f64::from(self.0.weight(Range::hole(hand)?)),
        };
        Ok(ppm / f64::from(Weights::ONE))
    }

    fn __contains__(&self, hand: &str) -> Result<bool, Failure> {
        Ok(self.__getitem__(hand)? > 0.0)
    }

    fn __len__(&self) -> usize {
        self.0.iter().count()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Range('{}')", self.0)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Range>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.weights().hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>,) {
        (self.weights(py),)
    }

    fn _repr_html_(&self) -> String {
        range_grid(&self.0)
    }
}
