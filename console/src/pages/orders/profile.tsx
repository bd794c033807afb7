import type { ProfileDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useItem } from '../../api/read.ts'
import {
  Badge,
  Columns,
  Copyable,
  DetailPage,
  Empty,
  Facts,
  RiskScore,
  Section,
  Table,
  Time,
  wordsOf,
} from '../../components/index.ts'
import { BehaviorCharts, Countries } from '../../components/order/behavior-charts.tsx'
import { ProfileMap } from '../../components/order/order-map.tsx'
import { PageLink } from '../../shell/links.tsx'
import { orderColumns } from './order-columns.tsx'
import { profileFacts } from './profile-summary.tsx'

type Details = Answer<ProfileDetails>

export default function ProfilePage() {
  const read = useItem<Details>('/console/api/profiles')
  return (
    <DetailPage
      read={read}
      what="profile"
      title={({ profile }) => `Profile ${profile.external_id}`}
      up={{ to: '/orders/profiles', label: 'Profiles' }}
      lead={({ profile }) => (
        <span class="row">
          <RiskScore score={profile.risk_score} level={profile.risk_level} />
          <Copyable text={profile.id} label="Copy profile ID" />
        </span>
      )}
    >
      {(details) => <ProfileSections details={details} />}
    </DetailPage>
  )
}

function ProfileSections({ details }: { details: Details }) {
  const { profile, behavior, recent } = details
  return (
    <>
      <Columns wide>
        <Section title="Usual behavior">
          <BehaviorCharts behavior={behavior} orders={recent} />
        </Section>
        <div>
          <Section title="Details">
            <Facts facts={profileFacts(profile)} />
          </Section>
          <Risk details={details} />
          <Section title="Usual areas">
            <div class="stack">
              <ProfileMap places={behavior.places} />
              <Countries countries={behavior.places.countries} />
            </div>
          </Section>
        </div>
      </Columns>
      <Section
        title="Orders"
        actions={
          <PageLink to="/orders" query={{ external_id: profile.external_id }}>
            Search these orders
          </PageLink>
        }
      >
        {recent.length === 0 ? (
          <Empty title="No stored orders" />
        ) : (
          <Table
            label="Orders of the profile"
            rows={recent}
            keyOf={({ id }) => id}
            columns={orderColumns(false)}
          />
        )}
      </Section>
    </>
  )
}

function Risk({ details: { risk, alerts } }: { details: Details }) {
  return (
    <Section title="Risk factors">
      <div class="stack">
        {risk.length === 0 ? (
          <p class="muted">No order, check or decision adds risk.</p>
        ) : (
          <Table
            label="Risk factors"
            rows={risk}
            keyOf={({ score, at, source }) => `${source} ${score} ${at}`}
            columns={[
              { label: 'Score', isNumber: true, cell: ({ score }) => score },
              {
                label: 'Source',
                cell: ({ source }) => (source === 'order' ? 'order or decision' : source),
              },
              { label: 'Time', cell: ({ at }) => <Time at={at} /> },
            ]}
          />
        )}
        <p class="muted">Each score counts half after 14 days. The highest one counts most.</p>
        {alerts.map(({ pattern, at }) => (
          <p key={pattern} class="row">
            <Badge tone="bad">{wordsOf(pattern)}</Badge> alert, <Time at={at} />
          </p>
        ))}
      </div>
    </Section>
  )
}
