"""Rules about speed: does the run get on as fast as it could?"""
