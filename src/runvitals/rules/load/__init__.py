"""Rules about balance: do devices, ranks and replicas share the work?"""
