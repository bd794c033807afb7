import { useChange } from '../../api/read.ts'
import {
  Columns,
  Copyable,
  Facts,
  Form,
  FormActions,
  Page,
  Section,
  TextField,
  useFields,
} from '../../components/index.ts'
import { PASSWORD_HINT, PASSWORD_MIN_CHARS } from '../../session/password-form.tsx'
import { useMe } from '../../shell/organization.ts'
import { ShortcutFields } from '../../shell/shortcut-fields.tsx'
import { ThemeField } from '../../shell/theme.tsx'
import { EmailSection } from './email-section.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export default function Profile() {
  const { email, user_id, organizations } = useMe()
  return (
    <Page title="Profile" lead={email}>
      <Columns>
        <Section title="Account">
          <Facts
            facts={[
              ['ID', <Copyable key="id" text={user_id} />],
              ['Organizations', organizations.map(({ name }) => name).join(', ')],
            ]}
          />
        </Section>
        <EmailSection />
      </Columns>
      <Section title="Appearance">
        <ThemeField />
      </Section>
      <Section title="Keyboard shortcuts">
        <ShortcutFields />
      </Section>
      <Columns>
        <Password />
        <SecondFactor />
      </Columns>
      <Passkeys />
      <Sessions />
    </Page>
  )
}

const NO_PASSWORDS = { current: '', next: '' }

function Password() {
  const { email } = useMe()
  const { values, set, field } = useFields(NO_PASSWORDS)
  const change = useChange(
    () => ({ method: 'POST', path: '/console/api/me/password', body: values }),
    {
      invalidates: ['/console/api/me/sessions'],
      toast: 'Password changed. All your other sessions were ended.',
      onSuccess: () => set(NO_PASSWORDS),
      quiet: true,
    },
  )
  return (
    <Section title="Password">
      <Form onSubmit={() => change.mutate()} error={change.error}>
        {/* Password managers store the password under this account. */}
        <input type="email" value={email} autocomplete="username" readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          {...field('current')}
          required
        />
        <TextField
          label="New password"
          type="password"
          autocomplete="new-password"
          minLength={PASSWORD_MIN_CHARS}
          {...field('next')}
          hint={PASSWORD_HINT}
          required
        />
        <p class="muted">Changing the password ends all your other sessions.</p>
        <FormActions kind="plain" busy={change.isPending}>
          Change password
        </FormActions>
      </Form>
    </Section>
  )
}
