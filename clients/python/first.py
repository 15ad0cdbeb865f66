import sys

from acey_protocol import Client
from acey_rules import AMERICAN, State

address, table, token = sys.argv[1:]
with Client(address) as client:
    seat = client.seat(table, token)
    while (turn := seat.wait()).due != "over":
        if turn.due == "play":
            plays = State.parse(turn.position, AMERICAN).legal_plays()
            seat.play(turn.ply, plays[0].text)
        elif turn.due == "name":
            seat.name(turn.ply, 6)
    print(turn.over.text())
