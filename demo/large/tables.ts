/**
 * The tables that are copied, and the columns in which copies differ. Columns that are not named have the values of
 * the copied row.
 */
import type { CopiedTable } from './copies.ts'
import { SCHEMA } from './functions.ts'

/** Numbers of copies; those of events and devices are multiples of those of orders. */
export type Copies = {
  orders: number
  events: number
  endpoints: number
  managed_devices: number
  edge_devices: number
  subscriptions: number
}

const name = (text: string): string => `${SCHEMA}.name(${text}, k)`
const orderName = (column: string): string => `${SCHEMA}.order_name(b.${column}, k)`
const id = (column: string): string => `${SCHEMA}.id(b.${column}, k)`
const moved = (text: string): string => `${SCHEMA}.moved(${text}, layer)`
const orderMoved = (column: string): string => `${SCHEMA}.order_moved(b.${column}, layer)`
/** A text of JSON, with the time that it contains. */
const dated = (text: string, at: string): string => `${SCHEMA}.dated(${text}, b.${at}, layer)`
/** Replaces the name of an order in JSON. */
const renamed = (text: string, column: string, to: string): string =>
  `case when b.${column} is null then ${text} else replace(${text}, b.${column}, ${to}) end`
/** Further endpoints receive the same events. */
const DELIVERY_FACTOR = 65_536

/** The id of a profile follows from its name, so the ids of copies are in a table. */
const withProfile = (profileId: string, copy = 'k'): string =>
  `left join ${SCHEMA}.profile_copies p on p.base_id = ${profileId} and p.copy = ${copy}`
const named = (text: string): string =>
  `case when p.id is null then ${text}
    else replace(${text}, '"' || p.base_name || '"', '"' || p.external_id || '"') end`

export const tablesOf = (copies: Copies): readonly CopiedTable[] => [
  ...ordersOf(copies.orders),
  ...reviewsOf(copies.orders),
  ...checksOf(copies.orders),
  ...webhooksOf(copies),
  ...devicesOf(copies),
  ...pushOf(copies),
]

const ordersOf = (copies: number): CopiedTable[] => [
  {
    table: 'profiles',
    copies,
    values: { id: 'p.id', external_id: 'p.external_id' },
    joins: withProfile('b.id'),
  },
  {
    table: 'states',
    copies,
    where: `kind in ('profile', 'device', 'ip')`,
    layered: { id: 'b.id' },
    values: { id: `coalesce(p.id, ${id('id')})` },
    joins: withProfile('b.id'),
  },
  {
    table: 'orders',
    copies,
    ids: ['id'],
    layered: {
      external_order_id: orderMoved('external_order_id'),
      request: dated(
        renamed('b.request::text', 'external_order_id', orderMoved('external_order_id')),
        'ordered_at',
      ),
    },
    values: {
      // The numbers of the month continue in its copies.
      seq: `b.seq + k * (select max(seq) from ${SCHEMA}.orders)`,
      external_order_id: orderName('external_order_id'),
      profile_id: 'p.id',
      request: `(${renamed(named('b.request'), 'external_order_id', orderName('external_order_id'))})::json`,
    },
    joins: withProfile('b.profile_id'),
  },
  {
    table: 'cashier_actions',
    copies,
    ids: ['id', 'action_hash'],
    layered: {
      order_external_id: orderMoved('order_external_id'),
      request: dated(
        renamed('b.request::text', 'order_external_id', orderMoved('order_external_id')),
        'performed_at',
      ),
    },
    values: {
      order_external_id: orderName('order_external_id'),
      request: `(${renamed('b.request', 'order_external_id', orderName('order_external_id'))})::json`,
    },
  },
  {
    table: 'usage_events',
    copies,
    ids: ['id', 'source_id'],
    layered: { source_ids: `(select array_agg(${moved('s')}) from unnest(b.source_ids) s)` },
    values: { source_ids: `(select array_agg(${SCHEMA}.id(s, k)) from unnest(b.source_ids) s)` },
  },
]

const reviewsOf = (copies: number): CopiedTable[] => [
  {
    table: 'cases',
    copies,
    ids: ['id'],
    values: {
      cause: `split_part(b.cause, ':', 1) || ':' || ${name(`split_part(b.cause, ':', 2)`)}`,
      customer: name('b.customer'),
    },
  },
  {
    table: 'reviews',
    copies,
    ids: ['id', 'subject_id', 'case_id'],
    layered: {
      external_id: `case b.subject when 'cashier_action' then b.external_id
        else ${orderMoved('external_id')} end`,
    },
    values: {
      external_id: `case b.subject when 'cashier_action' then b.external_id
        else ${orderName('external_id')} end`,
      customer: name('b.customer'),
    },
  },
  {
    table: 'review_links',
    copies,
    ids: ['subject_id'],
    values: {
      value: `case when b.kind in ('profile', 'device', 'address') then ${name('b.value')} else b.value end`,
      customer: name('b.customer'),
    },
  },
  { table: 'review_decisions', copies, ids: ['subject_id'] },
]

const checksOf = (copies: number): CopiedTable[] => {
  // Each address and phone number occurs once.
  const own = (column: string) =>
    `regexp_replace(replace(replace(b.${column}, b.id::text, ${id('id')}::text), '@', '.' || k || '@'),
      '("phone":"[+][0-9]{6})[0-9]{3}', '\\1' || lpad(k::text, 3, '0'))::json`
  return [
    {
      table: 'checks',
      copies,
      ids: ['id'],
      layered: {
        request: 'b.request::text',
        result: `replace(b.result::text, b.id::text, ${moved('b.id')}::text)`,
      },
      values: { request: own('request'), result: own('result') },
    },
    {
      table: 'check_event_ids',
      copies,
      ids: ['check_id'],
      values: { event_id: `b.event_id || '-' || k` },
    },
  ]
}

function webhooksOf({ orders, events, endpoints }: Copies): CopiedTable[] {
  // Several events are about the same order.
  const order = `((k - 1) % ${orders} + 1)`
  const subject = `coalesce(b.body::json #>> '{data,order,id}', b.body::json #>> '{data,action,id}',
    b.body::json #>> '{data,check_id}', b.body::json #>> '{data,profile,id}', b.body::json #>> '{data,id}')`
  const movedBody = `replace(replace(b.body, b.id::text, ${moved('b.id')}::text),
    ${subject}, ${moved(`(${subject})::uuid`)}::text)`
  const body = `replace(replace(b.body, b.id::text, ${id('id')}::text), b.subject_id::text,
    coalesce(p.id, ${SCHEMA}.id(b.subject_id, ${order}))::text)`
  return [
    {
      table: 'events',
      copies: events,
      ids: ['id'],
      layered: {
        body: dated(movedBody, 'occurred_at'),
        subject_id: moved(`(${subject})::uuid`),
      },
      values: { body: named(body) },
      joins: withProfile('b.subject_id', order),
    },
    {
      table: 'webhook_endpoints',
      copies: endpoints,
      ids: ['id'],
      // Secrets are sealed for the id of their endpoint, so copies cannot send.
      layered: {
        failing_since: 'null::timestamptz',
        status: `'paused'::text`,
        pause_reason: `'requested'::text`,
        paused_at: 'b.created_at',
      },
      values: { url: `b.url || '/' || k` },
    },
    {
      table: 'webhook_deliveries',
      copies: events,
      where: 'body is null',
      ids: ['id', 'event_id'],
      // Nothing is due.
      layered: {
        status: `case b.status when 'succeeded' then b.status else 'exhausted' end`,
        due_at: 'null::timestamptz',
        lease_id: 'null::uuid',
        leased_until: 'null::timestamptz',
      },
      values: {
        endpoint_id: `case e when 0 then b.endpoint_id else ${SCHEMA}.id(b.endpoint_id, e) end`,
        id: `${SCHEMA}.id(b.id, k + e * ${DELIVERY_FACTOR})`,
      },
      joins: `cross join generate_series(0, ${endpoints}) e`,
      rows_per_copy: endpoints + 1,
    },
  ]
}

const devicesOf = ({ orders, managed_devices, edge_devices }: Copies): CopiedTable[] => [
  {
    table: 'mdm_devices',
    copies: managed_devices,
    ids: ['id'],
    same_times: ['last_report_at', 'updated_at'],
    layered: { compliance_due_at: 'null::timestamptz' },
    values: {
      name: `b.name || '-' || k`,
      provider_name: `b.provider_name || k`,
      serial_number: `b.serial_number || lpad(k::text, 5, '0')`,
      enterprise_specific_id: `b.enterprise_specific_id || k`,
    },
    has_triggers: true,
  },
  {
    table: 'mdm_commands',
    copies: orders,
    where: 'completed_at is not null',
    ids: ['id', 'device_id'],
    layered: { check_due_at: 'null::timestamptz' },
    values: { operation_name: `b.operation_name || '-' || k` },
  },
  { table: 'mdm_audit_log', copies: orders, ids: ['id', 'device_id'], has_triggers: true },
  {
    table: 'edge_devices',
    copies: edge_devices,
    same_times: ['last_seen_at'],
    values: { device_id: `b.device_id || '-' || k`, name: `b.name || ' ' || k` },
  },
]

const pushOf = ({ orders, subscriptions }: Copies): CopiedTable[] => [
  {
    table: 'push_subscriptions',
    copies: subscriptions,
    ids: ['id', 'token_hash'],
    values: { token: `b.token || k`, external_user_id: name('b.external_user_id') },
  },
  { table: 'push_messages', copies: orders, where: 'completed_at is not null', ids: ['id'] },
  {
    table: 'push_recipients',
    copies: orders,
    where: 'due_at is null',
    ids: ['message_id', 'subscription_id'],
    values: { provider_id: `b.provider_id || k` },
  },
]
