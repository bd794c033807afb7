/** The sign-up for an Android enterprise. Google returns to this page with a token in the query. */
import { useEffect, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import type { MdmStatus } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise, Signup } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import { Loaded, Page, Section } from '../../../components/index.ts'
import { useAddress } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { randomId } from '../../../shell/random-id.ts'
import { useMdmChange, useMdmRead } from '../names.ts'
import { TestModeNotice } from '../tabs.tsx'
import {
  type PendingSignup,
  readPendingSignup,
  removePendingSignup,
  storePendingSignup,
} from './pending-sign-up.ts'
import { ProviderNotice } from './section.tsx'
import { Steps } from './steps.tsx'

export default function SignUpPage() {
  const enterprise = useMdmRead<Enterprise | null>('/v1/mdm/enterprise')
  const status = useMdmRead<MdmStatus>('/console/api/mdm/status')
  return (
    <Page
      title="Enterprise sign-up"
      lead="The devices of an organization belong to an Android enterprise at Google"
      up={{ to: '/devices', label: 'Managed devices' }}
    >
      <TestModeNotice />
      <Section title="Sign-up" hideTitle>
        <div class="stack">
          {status.data && <ProviderNotice status={status.data} />}
          <Loaded read={enterprise} what="the enterprise">
            {(found) => <Flow enterprise={found} status={status.data} />}
          </Loaded>
        </div>
      </Section>
    </Page>
  )
}

type FlowProps = { enterprise: Enterprise | null; status: MdmStatus | undefined }

function Flow({ enterprise, status }: FlowProps) {
  const { id: org_id, is_admin } = useOrg()
  const [pending, setPending] = useState<PendingSignup | undefined>(() => readPendingSignup(org_id))
  const returned = useReturned()
  const isOurs = returned !== undefined && returned.state === pending?.state

  const start = useMdmChange<string, Signup>(
    (state) => ({
      method: 'POST',
      path: '/v1/mdm/enterprise/signup-url',
      body: { callback_url: callbackUrl(org_id, state) },
    }),
    {
      invalidates: [],
      onSuccess: (signup, state) => {
        const next = { org_id, state, ...signup, started_at: new Date().toISOString() }
        storePendingSignup(next)
        setPending(next)
        returned?.clear()
      },
    },
  )
  const create = useMdmChange<{ enterprise_token: string; signup_url_name: string }, Enterprise>(
    (body) => ({ method: 'POST', path: '/v1/mdm/enterprise', body }),
    { toast: 'Enterprise created', onSuccess: removePendingSignup },
  )
  const createNow = () => {
    if (!isOurs || !pending) return
    const { signup_url_name } = pending
    create.mutate({ enterprise_token: returned.token, signup_url_name })
  }
  // The administrator has already agreed at Google, so no further click is needed.
  useEffect(() => {
    if (isOurs && is_admin && !enterprise) createNow()
  }, [isOurs])

  return (
    <Steps
      enterprise={enterprise ?? create.data ?? null}
      connected_to={status?.connected_to}
      is_admin={is_admin}
      pending={pending}
      returned={returned === undefined ? 'no' : isOurs ? 'ours' : 'foreign'}
      start={{
        run: () => start.mutate(randomId()),
        isPending: start.isPending,
        error: start.error,
      }}
      create={{ run: createNow, isPending: create.isPending, error: create.error }}
    />
  )
}

const callbackUrl = (orgId: string, state: string): string =>
  `${window.location.origin}/console/o/${orgId}/devices/sign-up?state=${state}`

type Returned = { token: string; state: string | null; clear: () => void }

/** The parameters that Google returned with. They are removed from the address and the history. */
function useReturned(): Returned | undefined {
  const search = useSearch()
  const address = useAddress()
  const [, navigate] = useLocation()
  const [values, setValues] = useState<Pick<Returned, 'token' | 'state'>>()
  useEffect(() => {
    const query = new URLSearchParams(search)
    const token = query.get('enterpriseToken')
    if (token === null) return
    setValues({ token, state: query.get('state') })
    navigate(address('/devices/sign-up'), { replace: true })
  }, [search])
  return values && { ...values, clear: () => setValues(undefined) }
}
