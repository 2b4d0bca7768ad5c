"""Rules about speed: is the run as fast as it could be?"""
