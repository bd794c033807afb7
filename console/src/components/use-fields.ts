import { useState } from 'preact/hooks'

/** The text values of a form. `field(name)` returns the props of the field for a value. */
export function useFields<Values extends Record<string, string>>(initial: Values) {
  const [values, setValues] = useState(initial)
  const set = (changed: Partial<Values>) => setValues((before) => ({ ...before, ...changed }))
  return { values, set, field: fieldsOf(values, set) }
}

/** Props of fields for values that are stored elsewhere, such as a draft. */
export const fieldsOf =
  <Values extends object>(values: Values, set: (changed: Partial<Values>) => void) =>
  <Name extends keyof Values & string>(name: Name) => ({
    name,
    value: values[name],
    onChange: (value: Values[Name]) => set({ [name]: value } as unknown as Partial<Values>),
  })
