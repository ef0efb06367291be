"""Exercises and predictions of the book in the forms that teaching systems take.

==============  ==================================================================
``tasks``       an exercise as cells: stub, check, solution, and what it needs
``plain``       the book's Markdown as Markdown that every notebook shows
``notebooks``   tasks as notebooks for nbgrader and Otter
``moodle``      Predict boxes as a Moodle quiz
==============  ==================================================================
"""

from nta_book.classroom.moodle import moodle_quiz
from nta_book.classroom.notebooks import NBGRADER_CONFIG, for_nbgrader, for_otter
from nta_book.classroom.plain import Labels
from nta_book.classroom.tasks import Task, read_tasks
