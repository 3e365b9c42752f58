// The room is built in the next steps.
