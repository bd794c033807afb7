/** The own account: password, sessions, theme. */
import { useState } from 'preact/hooks'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Copyable,
  Facts,
  Form,
  Page,
  Section,
  TextField,
} from '../../components/index.ts'
import { useMe } from '../../shell/organization.ts'
import { ThemeField } from '../../shell/theme.tsx'
import { Sessions } from './sessions.tsx'

const PASSWORD_MIN_CHARS = 12

export default function Profile() {
  const { email, user_id, organizations } = useMe()
  return (
    <Page title="Profile" lead={email}>
      <Columns>
        <Section title="Account">
          <Facts
            facts={[
              ['E-mail', email],
              ['Id', <Copyable key="id" text={user_id} />],
              ['Organisations', organizations.map(({ name }) => name).join(', ')],
            ]}
          />
        </Section>
        <Section title="Appearance">
          <ThemeField />
        </Section>
      </Columns>
      <Columns>
        <Password />
        <Sessions />
      </Columns>
    </Page>
  )
}

function Password() {
  const { email } = useMe()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useChange(
    () => ({ method: 'POST', path: '/console/api/me/password', body: { current, next } }),
    {
      changes: ['/console/api/me/sessions'],
      done: 'Your password is changed; all other sessions have ended',
      onDone: () => {
        setCurrent('')
        setNext('')
      },
      quiet: true,
    },
  )
  return (
    <Section title="Password">
      <Form onSubmit={() => change.mutate()} error={change.error}>
        {/* For password managers, which want to know whose it is. */}
        <input type="email" value={email} autocomplete="username" readOnly hidden />
        <TextField
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          value={current}
          onInput={setCurrent}
          required
        />
        <TextField
          label="New password"
          name="next"
          type="password"
          autocomplete="new-password"
          minLength={PASSWORD_MIN_CHARS}
          value={next}
          onInput={setNext}
          hint={`At least ${PASSWORD_MIN_CHARS} characters. Length counts, not the kind of characters.`}
          required
        />
        <p class="muted">All your other sessions end with it.</p>
        <Actions>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}
