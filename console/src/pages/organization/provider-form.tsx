/** The values of a sign-in provider. The client secret is stored sealed, so that editing starts with an empty field. */
import { useState } from 'preact/hooks'
import type { SignInProvider } from '../../../../src/modules/accounts/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  CheckField,
  FormDialog,
  SelectField,
  TextArea,
  TextField,
  useFields,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { INVALIDATES, PATH } from './single-sign-on-api.ts'

const DEFAULT_ROLES = [
  { value: '', label: 'None: they are refused' },
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
  { value: 'owner', label: 'Owner' },
]

const valuesOf = (provider: SignInProvider | null) => ({
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  scopes: provider?.scopes ?? 'openid email profile',
  email_domains: provider?.email_domains.join('\n') ?? '',
  role_claim: provider?.role_claim ?? '',
  roles: provider?.roles.map(({ group, role }) => `${group}=${role}`).join('\n') ?? '',
  default_role: provider ? (provider.default_role ?? '') : 'member',
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function roleOfGroup(line: string): { group: string; role: string } {
  const at = line.lastIndexOf('=')
  return { group: line.slice(0, Math.max(at, 0)), role: line.slice(at + 1).trim() }
}

type Props = { provider: SignInProvider | null; onClose: () => void }

export function ProviderForm({ provider, onClose }: Props) {
  const { id: org_id } = useOrg()
  const { values, field } = useFields(valuesOf(provider))
  const [trusts_factor, setTrusted] = useState(provider?.trusts_factor ?? false)
  const save = useChange(
    () => {
      const { client_secret, role_claim, default_role, email_domains, roles, ...rest } = values
      const body = {
        org_id,
        ...rest,
        ...(client_secret !== '' && { client_secret }),
        email_domains: linesOf(email_domains),
        role_claim: role_claim === '' ? null : role_claim,
        roles: linesOf(roles).map(roleOfGroup),
        default_role: default_role === '' ? null : default_role,
        trusts_factor,
      }
      return { method: 'PUT', path: PATH, body }
    },
    { quiet: true, invalidates: INVALIDATES, toast: 'Provider saved', onSuccess: onClose },
  )
  return (
    <FormDialog
      title={provider ? 'Change the provider' : 'Set up a provider'}
      action="Save the provider"
      change={save}
      onClose={onClose}
    >
      <TextField label="Issuer" type="url" {...field('issuer')} autocomplete="off" required />
      <TextField label="Client id" {...field('client_id')} autocomplete="off" required />
      <TextField
        label="Client secret"
        type="password"
        {...field('client_secret')}
        hint={provider ? 'Leave empty to use the stored one.' : undefined}
        autocomplete="off"
        required={!provider}
      />
      <TextField label="Scopes" {...field('scopes')} autocomplete="off" required />
      <TextArea
        label="E-mail domains"
        {...field('email_domains')}
        hint="One per line. People with other addresses are refused; empty for all."
      />
      <TextField
        label="Claim with groups"
        {...field('role_claim')}
        hint="Decides the role at every sign-in. Empty leaves roles as they are."
        autocomplete="off"
      />
      <TextArea
        label="Roles of groups"
        {...field('roles')}
        hint="One per line, such as vigil-admins=admin. The highest role counts."
      />
      <SelectField
        label="Role of everyone else"
        {...field('default_role')}
        options={DEFAULT_ROLES}
      />
      <CheckField
        label="Every sign-in there has a second factor"
        hint="Otherwise the provider has to report it with each sign-in (amr)."
        checked={trusts_factor}
        onChange={setTrusted}
      />
    </FormDialog>
  )
}
