/** A text filter in the address: applied when typing pauses, or with Enter. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { TextField, type TextFieldProps } from './fields.tsx'

const PAUSE_MS = 400

export function FilterField({ value, onChange, ...rest }: TextFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const applied = useRef(value)
  // The address can also change through a link or the back button.
  useEffect(() => {
    if (value !== applied.current) {
      clearTimeout(timer.current)
      setText(value)
    }
    applied.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (next: string) => {
    clearTimeout(timer.current)
    if (next === applied.current) return
    applied.current = next
    onChange(next)
  }
  return (
    <TextField
      {...rest}
      value={text}
      onChange={(next) => {
        setText(next)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => apply(next), PAUSE_MS)
      }}
      onBlur={() => apply(text)}
      onKeyDown={(event) => event.key === 'Enter' && apply(text)}
    />
  )
}
