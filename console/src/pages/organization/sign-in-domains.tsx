/** Domains by which people find the provider. An owner proves one with a TXT record. */
import { useState } from 'preact/hooks'
import type { SingleSignOnState } from '../../../../src/modules/accounts/schema.ts'
import { useChange } from '../../api/read.ts'
import { Button, ConfirmButton, Copyable, FormDialog, TextField } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { INVALIDATES, PATH } from './single-sign-on-api.ts'

export function SignInDomains({ state }: { state: SingleSignOnState }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {state.domains.map((domain) => (
        <div key={domain}>
          {domain} <RemoveDomain domain={domain} />
        </div>
      ))}
      <Button size="small" onClick={() => setOpen(true)}>
        Add a domain
      </Button>
      {isOpen && <AddDomain record={state.domain_record} onClose={() => setOpen(false)} />}
    </>
  )
}

function AddDomain({ record, onClose }: { record: string; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const [domain, setDomain] = useState('')
  const change = useChange(
    () => ({ method: 'POST', path: `${PATH}/domains`, body: { org_id, domain: domain.trim() } }),
    { invalidates: INVALIDATES, toast: 'Domain added', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog title="Add a domain" action="Add domain" change={change} onClose={onClose}>
      <p>People with an e-mail address of this domain get to the provider from the sign-in page.</p>
      <TextField
        label="Domain"
        name="domain"
        value={domain}
        onChange={setDomain}
        hint="Such as shop.example."
        autocomplete="off"
        required
      />
      <p>
        Create a TXT record with the name <Copyable text={`_vigil.${domain.trim() || 'domain'}`} />{' '}
        and the text <Copyable text={record} /> first. It proves that the domain is yours.
      </p>
    </FormDialog>
  )
}

function RemoveDomain({ domain }: { domain: string }) {
  const { id: org_id } = useOrg()
  const change = useChange(
    () => ({
      method: 'DELETE',
      path: `${PATH}/domains/${encodeURIComponent(domain)}`,
      query: { org_id },
    }),
    { invalidates: INVALIDATES, toast: 'Domain removed', quiet: true },
  )
  return (
    <ConfirmButton
      label="Remove"
      aria-label={`Remove ${domain}`}
      size="small"
      title={`Remove the domain ${domain}?`}
      action="Remove domain"
      change={change}
    >
      <p>People then get to the provider by the sign-in link only.</p>
    </ConfirmButton>
  )
}
