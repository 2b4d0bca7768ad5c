"""Rules about what a model wrote.

How often they are wrong: of 10 healthy runs of `runvitals lab run writing` and 5 of a tiny model in
TRL, none is alarmed. Of 40 public folders with completions, most of one repository, 12 hold texts of
four steps or more. Four have a finding, and it was right: one wrote nothing, three were cut off.
"""
