"""What evaluates a net: torch, or OpenVINO in float32, bfloat16 or int8; and the choice of it."""
