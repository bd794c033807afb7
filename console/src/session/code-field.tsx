import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { TextField, type TextFieldProps } from '../components/fields.tsx'

/** A code of the authenticator app, or a recovery code, which is longer. */
export const CodeField = (props: Pick<TextFieldProps, 'value' | 'onChange'>) => (
  <TextField
    label="Code"
    name="code"
    autocomplete="one-time-code"
    hint="Six digits from your authenticator app, or a recovery code."
    spellcheck={false}
    required
    {...props}
  />
)

type Code = {
  /** Undefined until the service requires a code. */
  field: ComponentChildren
  /** Signs in with the code, and shows the field when the service requires one. */
  ask: (signIn: (code: string | undefined) => Promise<void>) => Promise<void>
}

/** The second step of a sign-in, on the same form. */
export function useCode(): Code {
  const [code, setCode] = useState('')
  const [isAsked, setAsked] = useState(false)
  return {
    field: isAsked ? <CodeField value={code} onChange={setCode} /> : undefined,
    ask: async (signIn) => {
      try {
        await signIn(isAsked ? code : undefined)
      } catch (error) {
        if (error instanceof ApiError && error.field === 'code') setAsked(true)
        throw error
      }
    },
  }
}
