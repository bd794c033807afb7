/** A text in the address that filters a list: taken over when the typing pauses, or by Enter. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { TextField, type TextFieldProps } from './fields.tsx'

export type FilterFieldProps = Omit<TextFieldProps, 'onInput'> & {
  onChange: (value: string) => void
}

const PAUSE_MS = 400

export function FilterField({ value, onChange, ...rest }: FilterFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const told = useRef(value)
  // The address may change by other means: a link, the way back.
  useEffect(() => {
    if (value !== told.current) {
      clearTimeout(timer.current)
      setText(value)
    }
    told.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const tell = (next: string) => {
    clearTimeout(timer.current)
    if (next === told.current) return
    told.current = next
    onChange(next)
  }
  return (
    <TextField
      {...rest}
      value={text}
      onInput={(next) => {
        setText(next)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => tell(next), PAUSE_MS)
      }}
      onBlur={() => tell(text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') tell(text)
      }}
    />
  )
}
