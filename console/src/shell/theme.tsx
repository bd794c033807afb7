/** Dark, light or the system's theme, stored in this browser. */

import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { SelectField } from '../components/fields.tsx'
import { Icon } from '../components/icon.tsx'
import { store } from './browser-storage.ts'

type Theme = 'system' | 'light' | 'dark'

const NEXT: Record<Theme, Theme> = { system: 'dark', dark: 'light', light: 'system' }
const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const STORED_AS = 'vigil:theme'

export function ThemeButton() {
  const theme = useTheme()
  return (
    <Button kind="quiet" onClick={() => apply(NEXT[theme])} title={`Theme: ${theme}`}>
      <Icon sign={theme} />
      <span class="visually-hidden">Theme: {theme}</span>
    </Button>
  )
}

export function ThemeField() {
  const theme = useTheme()
  return (
    <SelectField
      label="Theme"
      value={theme}
      options={THEMES}
      onChange={apply}
      hint="Stored in this browser."
    />
  )
}

/** The current theme, also when another component changes it. */
function useTheme(): Theme {
  const [theme, setTheme] = useState<Theme>(current)
  useEffect(() => {
    const changed = new MutationObserver(() => setTheme(current()))
    changed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => changed.disconnect()
  }, [])
  return theme
}

function current(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  store(STORED_AS, theme === 'system' ? null : theme)
}
