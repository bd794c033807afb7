/**
 * The sign-up for an enterprise, step by step. It is also the address to which the provider leads an
 * administrator back, with a token in the query.
 */

import { useEffect, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import type { MdmStanding } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise, Signup } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import { Section, Shown } from '../../../components/index.ts'
import { useAddress } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { randomId } from '../../../shell/random-id.ts'
import { DevicesPage } from '../frame.tsx'
import { CHANGED } from '../names.ts'
import { type BegunSignup, forgetBegun, readBegun, storeBegun } from './begun.ts'
import { ProviderNotice } from './section.tsx'
import { Steps } from './steps.tsx'

export default function SignUpPage() {
  const { id: org_id } = useOrg()
  const enterprise = useRead<Enterprise | null>('/v1/mdm/enterprise', { org_id })
  const standing = useRead<MdmStanding>('/console/api/mdm/standing', { org_id })
  return (
    <DevicesPage
      isInner
      title="Enterprise sign-up"
      lead="An enterprise holds the devices of the organisation at Google."
      up={{ to: '/devices', label: 'Managed devices' }}
    >
      <Section title="Sign-up" hideTitle>
        <div class="stack">
          {standing.data && <ProviderNotice standing={standing.data} />}
          <Shown read={enterprise} what="the enterprise">
            {(found) => <Flow enterprise={found} standing={standing.data} />}
          </Shown>
        </div>
      </Section>
    </DevicesPage>
  )
}

type FlowProps = { enterprise: Enterprise | null; standing: MdmStanding | undefined }

function Flow({ enterprise, standing }: FlowProps) {
  const { id: org_id, is_admin } = useOrg()
  const [begun, setBegun] = useState<BegunSignup | undefined>(() => readBegun(org_id))
  const returned = useReturned()
  const isOurs = returned !== undefined && begun !== undefined && returned.state === begun.state

  const begin = useChange<string, Signup>(
    (state) => ({
      method: 'POST',
      path: '/v1/mdm/enterprise/signup-url',
      query: { org_id },
      body: { callback_url: callbackUrl(org_id, state) },
    }),
    {
      quiet: true,
      onDone: (signup, state) => {
        const next = { org_id, state, ...signup, begun_at: new Date().toISOString() }
        storeBegun(next)
        setBegun(next)
        returned?.forget()
      },
    },
  )
  const create = useChange<{ enterprise_token: string; signup_url_name: string }, Enterprise>(
    (body) => ({ method: 'POST', path: '/v1/mdm/enterprise', query: { org_id }, body }),
    { quiet: true, changes: CHANGED, done: 'Enterprise created', onDone: () => forgetBegun() },
  )
  const createNow = () => {
    if (!isOurs) return
    const { signup_url_name } = begun
    create.mutate({ enterprise_token: returned.token, signup_url_name })
  }
  // Whoever agreed on the page of the provider has said it all.
  useEffect(() => {
    if (isOurs && is_admin && !enterprise) createNow()
  }, [isOurs])

  return (
    <Steps
      enterprise={enterprise ?? create.data ?? null}
      connected_to={standing?.connected_to}
      is_admin={is_admin}
      begun={begun}
      returned={returned === undefined ? 'no' : isOurs ? 'ours' : 'foreign'}
      begin={{
        run: () => begin.mutate(randomId()),
        isPending: begin.isPending,
        error: begin.error,
      }}
      create={{ run: createNow, isPending: create.isPending, error: create.error }}
    />
  )
}

const callbackUrl = (orgId: string, state: string): string =>
  `${window.location.origin}/console/o/${orgId}/devices/sign-up?state=${state}`

type Returned = { token: string; state: string | null; forget: () => void }

/** What the provider led back with. It does not stay in the address, nor in the history. */
function useReturned(): Returned | undefined {
  const search = useSearch()
  const address = useAddress()
  const [, navigate] = useLocation()
  const [kept, setKept] = useState<Pick<Returned, 'token' | 'state'>>()
  useEffect(() => {
    const query = new URLSearchParams(search)
    const token = query.get('enterpriseToken')
    if (token === null) return
    setKept({ token, state: query.get('state') })
    navigate(address('/devices/sign-up'), { replace: true })
  }, [search])
  return kept && { ...kept, forget: () => setKept(undefined) }
}
