// Runs before the first paint, so that the chosen theme does not flash.
try {
  const theme = localStorage.getItem('vigil:theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be disabled; then the system's theme applies.
}
