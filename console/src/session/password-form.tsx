import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { TextField, type TextFieldProps } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useSubmit } from './use-submit.ts'

type PasswordFormProps = Omit<TextFieldProps, 'value' | 'onChange' | 'action'> & {
  email: string
  /** Label of the submit button. */
  action: string
  onPassword: (password: string) => Promise<void>
  children?: ComponentChildren
}

/** The password of an invited person. Other props are those of the password field. */
export function PasswordForm(props: PasswordFormProps) {
  const { email, action, onPassword, children, ...field } = props
  const [password, setPassword] = useState('')
  const { submit, error, isBusy } = useSubmit(() => onPassword(password))
  return (
    <Form onSubmit={submit} error={error}>
      {children}
      <TextField
        label="E-mail"
        type="email"
        autocomplete="username"
        value={email}
        onChange={() => undefined}
        readOnly
      />
      <TextField {...field} type="password" value={password} onChange={setPassword} required />
      <Button type="submit" kind="primary" busy={isBusy}>
        {action}
      </Button>
    </Form>
  )
}

export const PASSWORD_MIN_CHARS = 12
/** The service says why it refuses a password. */
export const PASSWORD_HINT = `At least ${PASSWORD_MIN_CHARS} characters that are not easy to guess: several unrelated words, or a generated password.`

/** The password that an invited person chooses. */
export const NewPasswordForm = (
  props: Pick<PasswordFormProps, 'email' | 'action' | 'onPassword'>,
) => (
  <PasswordForm
    {...props}
    label="Choose a password"
    name="password"
    autocomplete="new-password"
    minLength={PASSWORD_MIN_CHARS}
    hint={PASSWORD_HINT}
  />
)
