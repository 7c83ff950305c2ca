"""Bringing the index up to the vault, on request."""

from glassmind.serve.http.asked import Asked
from glassmind.serve.http.errors import Refusal, Refused
from glassmind.serve.http.jobs import Job
from glassmind.serve.http.replies import Reply, answered
from glassmind.vault.paths import safe_path

NO_JOB = Refusal(
    404, "no_job", "no run of indexing goes by that name", "POST /index begins one"
)


def post_index(asked: Asked) -> Reply | Job:
    """Begin a run, and answer at its end, or at once if that is wished."""
    wishes = dict(asked.given)
    wishes["paths"] = [safe_path(path) for path in wishes["paths"]]
    wait = wishes.pop("wait")
    job = asked.desk.jobs.begin(asked.engine, wishes)
    if wait:
        return job
    made = answered(job.as_json(), 202)
    return made._replace(headers=((b"location", f"/index/{job.id}".encode()),))


def get_job(asked: Asked) -> Reply:
    """Tell how far a run has come."""
    job = asked.desk.jobs.find(asked.given["job"])
    if job is None:
        raise Refused(NO_JOB)
    return answered(job.as_json())
