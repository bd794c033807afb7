// Before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('vigil:theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be switched off; then the system's theme is used.
}
