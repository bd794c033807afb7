/** One profile: its risk and what that is made of, what it usually does, its orders. */
import { useParams } from 'wouter'
import type { ProfileDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  Badge,
  Columns,
  Copyable,
  Empty,
  Facts,
  Page,
  RiskScore,
  Section,
  Shown,
  Table,
  Time,
} from '../../components/index.ts'
import { BehaviourPictures, Countries } from '../../components/order/behaviour.tsx'
import { ProfileMap } from '../../components/order/order-map.tsx'
import { wordsOf } from '../../components/order/signals.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { OrderTable } from './order-table.tsx'
import { profileFacts } from './profile-summary.tsx'

type Details = Answer<ProfileDetails>

export default function ProfilePage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const read = useRead<Details>(`/console/api/profiles/${encodeURIComponent(id)}`, { org_id })
  const profile = read.data?.profile
  return (
    <Page
      title={profile ? `Profile ${profile.external_id}` : 'Profile'}
      up={{ to: '/orders/profiles', label: 'Profiles' }}
      lead={
        profile && (
          <span class="row">
            <RiskScore score={profile.risk_score} level={profile.risk_level} />
            <Copyable text={profile.id} label="Copy profile ID" />
          </span>
        )
      }
    >
      <Shown read={read} what="the profile">
        {(details) => <ProfileSections details={details} />}
      </Shown>
    </Page>
  )
}

function ProfileSections({ details }: { details: Details }) {
  const { profile, behaviour, recent } = details
  return (
    <>
      <Columns wide>
        <Section title="What it usually does">
          <BehaviourPictures behaviour={behaviour} orders={recent} />
        </Section>
        <div>
          <Section title="Known of it">
            <Facts facts={profileFacts(profile)} />
          </Section>
          <Risk details={details} />
          <Section title="Where it is usually found">
            <div class="stack">
              <ProfileMap places={behaviour.places} />
              <Countries countries={behaviour.places.countries} />
            </div>
          </Section>
        </div>
      </Columns>
      <Section
        title="Its orders"
        actions={
          <PageLink to="/orders" query={{ external_id: profile.external_id }}>
            Search in them
          </PageLink>
        }
      >
        {recent.length === 0 ? (
          <Empty title="No orders are kept" />
        ) : (
          <OrderTable label="Orders of the profile" orders={recent} hideProfile />
        )}
      </Section>
    </>
  )
}

function Risk({ details: { risk, alerts } }: { details: Details }) {
  return (
    <Section title="What its risk is made of">
      <div class="stack">
        {risk.length === 0 ? (
          <p class="muted">No order, check or decision says anything against it.</p>
        ) : (
          <Table
            label="Scores behind the risk"
            rows={risk}
            keyOf={({ score, at, source }) => `${source} ${score} ${at}`}
            columns={[
              { label: 'Score', isNumber: true, cell: ({ score }) => score },
              {
                label: 'Of',
                cell: ({ source }) => (source === 'order' ? 'order or decision' : source),
              },
              { label: 'Time', cell: ({ at }) => <Time at={at} /> },
            ]}
          />
        )}
        <p class="muted">Each counts half after 14 days; the strongest counts most.</p>
        {alerts.map(({ pattern, at }) => (
          <p key={pattern} class="row">
            <Badge tone="bad">{wordsOf(pattern)}</Badge> alert of <Time at={at} />
          </p>
        ))}
      </div>
    </Section>
  )
}
