/** Enrolment tokens that have not expired, and their QR codes. */
import { useState } from 'preact/hooks'
import type { Token } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Badge, Button, Empty, Section, Shown, Table } from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { Line, When } from '../line.tsx'
import { useNames } from '../names.ts'
import { words } from '../words.ts'
import { NewTokenDialog } from './new-token.tsx'
import { TokenDialog } from './token-dialog.tsx'

const NONE_SHOWN = { token: '' }

export default function TokensPage() {
  const { id: org_id, is_admin } = useOrg()
  const tokens = useRead<Token[]>('/v1/mdm/enrollment-tokens', { org_id })
  const [{ token: shownId }, show] = useFilters(NONE_SHOWN)
  const [isNew, setNew] = useState(false)
  const token = tokens.data?.find(({ id }) => id === shownId)
  return (
    <DevicesPage
      title="Enrolment tokens"
      lead="Whoever has a token or its QR code can enrol a device until it expires. Make short ones."
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New token
          </Button>
        )
      }
    >
      <Section title="Tokens" hideTitle>
        <Shown read={tokens} what="enrolment tokens">
          {(list) =>
            list.length === 0 ? (
              <NoTokens />
            ) : (
              <TokenTable tokens={list} onShow={(id) => show({ token: id })} />
            )
          }
        </Shown>
      </Section>
      {isNew && (
        <NewTokenDialog
          onDone={({ id }) => {
            setNew(false)
            show({ token: id })
          }}
          onClose={() => setNew(false)}
        />
      )}
      {token && <TokenDialog token={token} onClose={() => show({ token: '' })} />}
    </DevicesPage>
  )
}

function NoTokens() {
  const { policies } = useNames()
  return (
    <Empty title="No tokens that have not expired">
      <p>
        {policies.length === 0 ? (
          <>
            A token belongs to a policy: write a <PageLink to="/devices/policies">policy</PageLink>{' '}
            first.
          </>
        ) : (
          'Make a token to enrol devices with.'
        )}
      </p>
    </Empty>
  )
}

function TokenTable({
  tokens,
  onShow,
}: {
  tokens: readonly Token[]
  onShow: (id: string) => void
}) {
  const names = useNames()
  return (
    <Table
      label="Enrolment tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Policy',
          isWide: true,
          cell: ({ policy_id }) => (
            <PageLink to={`/devices/policies/${policy_id}`}>{names.policy(policy_id)}</PageLink>
          ),
        },
        { label: 'Mode', cell: ({ management_mode }) => <Line>{words(management_mode)}</Line> },
        {
          label: 'Uses',
          cell: ({ one_time }) => (
            <Badge tone={one_time ? 'info' : 'neutral'}>
              {one_time ? 'one device' : 'any number'}
            </Badge>
          ),
        },
        {
          label: 'Expires',
          cell: ({ expires_at }) => (
            <>
              <When at={expires_at} />
              <div class="muted">
                <When at={expires_at} as="age" />
              </div>
            </>
          ),
        },
        { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'QR code',
          hideLabel: true,
          cell: ({ id, policy_id }) => (
            <Button
              size="small"
              aria-label={`QR code of a token of ${names.policy(policy_id)}`}
              onClick={() => onShow(id)}
            >
              QR code
            </Button>
          ),
        },
      ]}
    />
  )
}
