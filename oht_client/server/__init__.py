"""The tournament server at home: a stand-in for the course's own, speaking both protocols."""
