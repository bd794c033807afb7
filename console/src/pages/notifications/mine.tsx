/** Members choose what they are notified of by e-mail and in browsers, in addition to the channels of the organization. */
import type { ShownRoute } from '../../../../src/modules/notifications/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { ListSection, Notice, SelectField } from '../../components/index.ts'
import { useMe, useOrg } from '../../shell/organization.ts'
import { NOTIFICATIONS, useNotificationChange } from './api.ts'
import { SEVERITY_NAMES, type Severity, SUBJECT_NAMES, type Subject, subjectName } from './names.ts'
import { NotificationsPage } from './notifications-page.tsx'
import { OwnBrowsers } from './own-browsers.tsx'

const OFF = 'off'
const AS_OTHERS = ''
const SUBJECTS: readonly (Subject | null)[] = [...(Object.keys(SUBJECT_NAMES) as Subject[]), null]

type Choice = { subject: Subject | null; route: ShownRoute | undefined }

export default function Mine() {
  const { id: org_id } = useOrg()
  const { email } = useMe()
  const read = useRead<{ routes: ShownRoute[] }>(`${NOTIFICATIONS}/mine`, { org_id })
  const choices = mapRead(read, ({ routes }): Choice[] =>
    SUBJECTS.map((subject) => ({
      subject,
      route: routes.find((route) => route.subject === subject),
    })),
  )
  return (
    <NotificationsPage lead={`What is sent to you, to ${email} and your browsers`}>
      <OwnBrowsers />
      <ListSection
        list={choices}
        what="subjects"
        keyOf={({ subject }) => subject ?? 'others'}
        columns={[
          { label: 'Subject', isWide: true, cell: ({ subject }) => subjectName(subject) },
          { label: 'From severity', cell: (choice) => <ChoiceField choice={choice} /> },
        ]}
      />
    </NotificationsPage>
  )
}

function ChoiceField({ choice: { subject, route } }: { choice: Choice }) {
  const change = useNotificationChange<ShownRoute, string>(
    (value) => ({
      method: 'PUT',
      path: '/mine',
      body: {
        subject,
        is_on: value !== OFF,
        min_severity: value === OFF ? 'notice' : value,
        repeat_minutes: route?.repeat_minutes ?? 0,
        quiet_hours: route?.quiet_hours ?? null,
      },
    }),
    { toast: 'Choice saved', quiet: true },
  )
  // Without a choice, a subject follows the last row, which is off without one.
  const options = [
    ...(route || subject === null ? [] : [{ value: AS_OTHERS, label: 'as all other subjects' }]),
    { value: OFF, label: 'off' },
    ...(Object.keys(SEVERITY_NAMES) as Severity[]).map((value) => ({
      value: value as string,
      label: SEVERITY_NAMES[value],
    })),
  ]
  return (
    <>
      <SelectField
        label={`From severity: ${subjectName(subject)}`}
        hideLabel
        value={valueOf(subject, route)}
        options={options}
        onChange={(value) => {
          if (value !== AS_OTHERS) change.mutate(value)
        }}
      />
      {change.error && <Notice tone="bad">{change.error.message}</Notice>}
    </>
  )
}

function valueOf(subject: Subject | null, route: ShownRoute | undefined): string {
  if (route) return route.channel_ids.length > 0 ? route.min_severity : OFF
  return subject === null ? OFF : AS_OTHERS
}
