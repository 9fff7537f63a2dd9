"""What every face shows: answers, reports, routes, and text made safe for its medium. Pure."""
