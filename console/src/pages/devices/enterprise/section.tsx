/** The enterprise that holds the devices of the organisation at the provider, or how to get one. */
import type { MdmStanding } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import { type Read, useRead } from '../../../api/read.ts'
import { Empty, Facts, Notice, Section, Shown, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'

type Props = {
  standing: Read<MdmStanding>
  /** A missing one is the first thing to see to, one that is there the last. */
  shown: 'missing' | 'there'
}

export function EnterpriseSection({ standing, shown }: Props) {
  const { id: org_id, is_admin } = useOrg()
  const enterprise = useRead<Enterprise | null>('/v1/mdm/enterprise', { org_id })
  const found = enterprise.data
  if (found) {
    return shown === 'missing' ? null : (
      <Section
        title="Enterprise"
        actions={<PageLink to="/devices/sign-up">How it was signed up for</PageLink>}
      >
        <Connected enterprise={found} standing={standing.data} />
      </Section>
    )
  }
  if (shown === 'there') return null
  return (
    <Section title="Enterprise">
      <Shown read={enterprise} what="the enterprise">
        {() => (
          <Empty title="There is no enterprise yet">
            <p>It holds the devices of the organisation at Google.</p>
            <PageLink to="/devices/sign-up" class="button button-primary">
              {is_admin ? 'Sign up for an enterprise' : 'How to sign up'}
            </PageLink>
          </Empty>
        )}
      </Shown>
    </Section>
  )
}

type ConnectedProps = { enterprise: Enterprise; standing: MdmStanding | undefined }

function Connected({ enterprise, standing }: ConnectedProps) {
  return (
    <div class="stack">
      <Facts
        facts={[
          ['Name', enterprise.display_name || null],
          ['At the provider', <code key="name">{enterprise.name}</code>],
          ['Created', <Time key="time" at={enterprise.created_at} />],
        ]}
      />
      {standing && <ProviderNotice standing={standing} />}
    </div>
  )
}

/** What is managed through, where it is not simply Google. */
export function ProviderNotice({ standing }: { standing: MdmStanding }) {
  const { connected_to, emulator_url } = standing
  if (connected_to === 'emulator') {
    const address = emulator_url === null ? undefined : webAddress(emulator_url)
    return (
      <Notice>
        <p>
          An emulator plays Google and the phones. Nothing is sent to Google.
          {address !== undefined && (
            <>
              {' '}
              Phones are enrolled and played on{' '}
              <a href={address} target="_blank" rel="noreferrer">
                its page
              </a>
              .
            </>
          )}
        </p>
      </Notice>
    )
  }
  if (connected_to === 'nothing') {
    return (
      <Notice tone="warn">
        <p>
          Device management is not connected to Google. Who operates this installation connects it
          with <code>vigil mdm connect</code>.
        </p>
      </Notice>
    )
  }
  return connected_to === 'google' ? null : (
    <Notice tone="warn">
      <p>
        The connection to Google cannot be used at the moment. The log of the service says why, and
        so does <code>vigil mdm status</code>.
      </p>
    </Notice>
  )
}

/** Nothing but an address of the web becomes a link. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(address)
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined
}
