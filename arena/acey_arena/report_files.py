"""The files of a report in a run's folder."""

from typing import Final

from acey_arena.folder import RunFolder
from acey_arena.report import Report, make_report, records_text, report_json
from acey_arena.report_html import report_html
from acey_arena.report_text import report_text
from acey_arena.run import Progress

RECORDS: Final = "records.acey"
"""All games that count, as one file of notation."""
TEXT_WIDTH: Final = 110


def write_files(folder: RunFolder, progress: Progress) -> Report:
    """Write the report's files and return the report. Raises OSError."""
    lost = [pair for pair in folder.results.values() if pair.lost]
    report = make_report(folder.plan, progress, lost)
    folder.write(RECORDS, records_text(progress.counted))
    folder.write("report.json", report_json(report))
    folder.write("report.txt", report_text(report, TEXT_WIDTH))
    folder.write("report.html", report_html(report))
    return report
