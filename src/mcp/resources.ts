/** What may be read without asking a tool: the status and the log. */

export const shownEvents = 100;
