/** Dark, light, or as the system has it. Remembered in this browser. */
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'

type Theme = 'system' | 'light' | 'dark'

const NEXT: Record<Theme, Theme> = { system: 'dark', dark: 'light', light: 'system' }
const SIGNS: Record<Theme, string> = { system: '◐', dark: '☾', light: '☀' }
const STORED = 'vigil:theme'

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(current)
  const change = () => {
    const next = NEXT[theme]
    setTheme(next)
    apply(next)
  }
  return (
    <Button kind="quiet" onClick={change} title={`Theme: ${theme}`}>
      <span aria-hidden="true">{SIGNS[theme]}</span>
      <span class="visually-hidden">Theme: {theme}. Change</span>
    </Button>
  )
}

function current(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function apply(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme']
    localStorage.removeItem(STORED)
  } else {
    document.documentElement.dataset['theme'] = theme
    localStorage.setItem(STORED, theme)
  }
}
