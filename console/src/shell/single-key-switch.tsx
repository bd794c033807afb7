import { useState } from 'preact/hooks'
import { CheckField } from '../components/fields.tsx'
import { areShortcutsOn, switchShortcuts } from './single-keys.ts'

/** Switches the shortcuts of a single key off and on, for all pages. */
export function SingleKeySwitch() {
  const [isOn, setOn] = useState(areShortcutsOn)
  return (
    <CheckField
      label="Use shortcuts of a single key in this browser"
      checked={isOn}
      onChange={(wanted) => {
        switchShortcuts(wanted)
        setOn(wanted)
      }}
    />
  )
}
