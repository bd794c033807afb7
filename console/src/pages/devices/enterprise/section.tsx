import type { MdmStatus } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import type { Read } from '../../../api/read.ts'
import { Empty, Facts, Loaded, Notice, Section, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { useMdmRead } from '../names.ts'

type Props = {
  status: Read<MdmStatus>
  /** A missing enterprise is shown at the top of the page, a connected one at the bottom. */
  when: 'missing' | 'connected'
}

export function EnterpriseSection({ status, when }: Props) {
  const { is_admin } = useOrg()
  const enterprise = useMdmRead<Enterprise | null>('/v1/mdm/enterprise')
  const found = enterprise.data
  if (found) {
    return when === 'missing' ? null : (
      <Section title="Enterprise" actions={<PageLink to="/devices/sign-up">View sign-up</PageLink>}>
        <Connected enterprise={found} status={status.data} />
      </Section>
    )
  }
  if (when === 'connected') return null
  return (
    <Section title="Enterprise">
      <Loaded read={enterprise} what="the enterprise">
        {() => (
          <Empty title="No enterprise yet">
            <p>The devices of the organization belong to an Android enterprise at Google.</p>
            <PageLink to="/devices/sign-up" class="button button-primary">
              {is_admin ? 'Sign up for an enterprise' : 'View sign-up'}
            </PageLink>
          </Empty>
        )}
      </Loaded>
    </Section>
  )
}

type ConnectedProps = { enterprise: Enterprise; status: MdmStatus | undefined }

const Connected = ({ enterprise, status }: ConnectedProps) => (
  <div class="stack">
    <Facts
      facts={[
        ['Name', enterprise.display_name || null],
        ['Resource name', <code key="name">{enterprise.name}</code>],
        ['Created', <Time key="time" at={enterprise.created_at} />],
      ]}
    />
    {status && <ProviderNotice status={status} />}
  </div>
)

/** Shown unless devices are managed through Google. */
export function ProviderNotice({ status }: { status: MdmStatus }) {
  const { connected_to, emulator_url } = status
  if (connected_to === 'emulator') {
    const address = emulator_url === null ? undefined : webAddress(emulator_url)
    return (
      <Notice>
        <p>
          An emulator replaces Google and the devices. Nothing is sent to Google.
          {address !== undefined && (
            <>
              {' '}
              <a href={address} target="_blank" rel="noreferrer">
                Open the emulator
              </a>{' '}
              to enroll and operate devices.
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
          Device management is not connected to Google. The operator of this installation can
          connect it with <code>vigil mdm connect</code>.
        </p>
      </Notice>
    )
  }
  return connected_to === 'google' ? null : (
    <Notice tone="warn">
      <p>
        The connection to Google is not working. The service log and <code>vigil mdm status</code>{' '}
        show the reason.
      </p>
    </Notice>
  )
}

/** Only HTTP and HTTPS addresses become links. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(address)
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined
}
