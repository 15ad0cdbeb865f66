"""What crosses a wire or a disk: records, requests, replies and events, and the Python client.

Records are msgspec structs with JSON, MessagePack and schema forms; requests, replies and events
are lines of text. The client is the model for clients in other languages.
"""
