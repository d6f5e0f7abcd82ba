# Functions of the second paper's rules: where its files are, and what each job depends on.

import importlib.util

from attention_separation.head_rank.training.estimates import memory_mb, minutes
from attention_separation.head_rank.study import NUMBERS as RANK_NUMBERS
from attention_separation.head_rank.study import TABLES as RANK_TABLES
from attention_separation.head_rank.study import TRAINED

RANK = SETTINGS.head_rank
RANK_RESULTS = RANK.results
RANK_CELLS = RANK.every_cell(SETTINGS.seed)
RANK_TRAINING = code_of_verb("rank-train")
RANK_FIGURES = RANK.cells_of_figures(SETTINGS.seed)

RANK_TITLES = TRAINED | RANK_TABLES | {figure: title for _, title, figure in RANK_NUMBERS.values()}

# Of random features, 16,384 heads at the paper's scale: their kernel and its Cholesky factor.
RANK_NUMBERS_MB = {"temperature": 1000, "vote": 1000, "features": 6000}


def rank_numbers(name):
    """The table of numbers computed without training."""
    return f"{RANK_RESULTS}/numbers/{name}.parquet"


def rank_cell(cell):
    """The table of a trained cell."""
    return f"{RANK_RESULTS}/cells/{cell}.parquet"


def checkpoint_of(table):
    """What the training of a cell goes on from; as a module, below the same prefix as its table."""
    folder = Path(table).parents[1]
    return f"{folder}/checkpoints/{Path(table).stem}.npz"


def rank_shown(key, name, files):
    """The files of a figure or a table, the page at `key` and its numbers in the report."""
    caption = "rank_errors" if name == "rank_errors" else "rank"
    page = report(
        files[key],
        caption=f"../report/{caption}.rst",
        category="6 Rank of attention heads",
        labels={"result": name, "of": RANK_TITLES[name]},
    )
    return files | shown_data(name, files) | {key: page}


def rank_figures():
    """Names of all figures of the second paper."""
    return [*(figure for _, _, figure in RANK_NUMBERS.values()), *RANK_FIGURES]


def rank_made_by_all():
    """The files of a whole run of the second paper."""
    figures = [
        path for name in rank_figures() for path in figure_files(name, RANK_RESULTS).values()
    ]
    tables = [path for name in RANK_TABLES for path in table_files(name, RANK_RESULTS).values()]
    return [*figures, *tables]


def rank_made_so_far(folder):
    """Names of the figures and tables that have been made in a folder."""
    return {
        "figures": [n for n in rank_figures() if (folder / f"figures/{n}.svg").exists()],
        "tables": [n for n in RANK_TABLES if (folder / f"tables/{n}.html").exists()],
    }


def rank_minutes(cell):
    """Minutes that the training of a cell asks for."""
    return minutes(RANK_CELLS[cell], RANK.gigaflops)


def rank_runs_here(cell):
    """Whether a cell is trained on the submitting machine under a cluster's profile too."""
    return RANK_CELLS[cell].training_flops() < SETTINGS.jobs.local_below * RANK.gigaflops * 1e9


def checked_torch():
    """Before any job: without PyTorch every cell would fail, one after another."""
    if importlib.util.find_spec("torch"):
        return
    if any("rank_train_" in job.rule.name for job in workflow.dag.needrun_jobs()):
        sys.exit("training needs PyTorch, which `make setup-rank` installs")
