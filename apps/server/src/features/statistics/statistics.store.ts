import type { FigureName } from '@hufu/contract/statistics-rules'
import { type RawBuilder, sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { chinaDay } from '../../shared/china-day.ts'
import { counterColumns, crowdColumns, type LoginStep } from '../../shared/usage/usage-batch.ts'

/** From the beginning of one hour to that of another, in epoch milliseconds. */
export interface Span {
  from: number
  to: number
}

export type Sums = Record<FigureName | LoginStep, number>

const sumOf = (column: string) => sql`coalesce(sum(${sql.ref(column)}), 0)::float8`
const usersOf = (column: string) => sql`coalesce(round(hll_cardinality(hll_union_agg(${sql.ref(column)}))), 0)::float8`

const figureSums: Record<FigureName, RawBuilder<unknown>> = {
  AuthorizedUsers: usersOf(crowdColumns.authorized),
  AccessedUsers: usersOf(crowdColumns.accessed),
  PageAccess: sumOf(counterColumns.pages),
  AuthorizeAccess: sumOf(counterColumns.authorizations),
  ApiAccess: sumOf(counterColumns.calls),
}

const { pages, calls, authorizations, ...stepColumns } = counterColumns

const allSums = sql.join([
  ...Object.entries(figureSums).map(([name, sum]) => sql`${sum} AS ${sql.ref(name)}`),
  ...Object.entries(stepColumns).map(([name, column]) => sql`${sumOf(column)} AS ${sql.ref(name)}`),
])

const columns = sql.join(
  [...Object.values(counterColumns), ...Object.values(crowdColumns)].map((name) => sql.ref(name)),
)

/** Spans as rows, each with the days of China that lie wholly inside. */
const spansTable = (spans: Span[]) => sql`
  unnest(${spans.map(({ from }) => new Date(from))}::timestamptz[], ${spans.map(({ to }) => new Date(to))}::timestamptz[],
    ${spans.map(({ from }) => chinaDay(from - 1) + 1)}::int[], ${spans.map(({ to }) => chinaDay(to))}::int[])
  WITH ORDINALITY AS s(since, until, first, behind, place)`

const wholeDays = (siteId: SiteId) => sql`usage_day d WHERE d.site_id = ${siteId}
  AND d.day >= DATE '1970-01-01' + s.first AND d.day < DATE '1970-01-01' + s.behind`

/** What a span is made of: its whole days as far as they are summed up, and hours for the rest. */
const pieces = (siteId: SiteId) => sql`LATERAL (
  SELECT ${columns} FROM ${wholeDays(siteId)}
  UNION ALL
  SELECT ${columns} FROM usage_hour h
  WHERE h.site_id = ${siteId} AND h.hour >= s.since AND h.hour < s.until
    AND NOT EXISTS (SELECT FROM ${wholeDays(siteId)} AND d.day = china_day(h.hour))) piece`

async function sum<Row>(db: Db, siteId: SiteId, spans: Span[], sums: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    SELECT ${sums} FROM ${spansTable(spans)} LEFT JOIN ${pieces(siteId)} ON true GROUP BY s.place ORDER BY s.place`.execute(
    db,
  )
  return rows
}

/** Everything that was counted in each of the spans, in their order. */
export const sumSpans = (db: Db, siteId: SiteId, spans: Span[]): Promise<Sums[]> => sum(db, siteId, spans, allSums)

/** One figure in each of the spans, in their order. */
export async function sumFigure(db: Db, siteId: SiteId, spans: Span[], figure: FigureName): Promise<number[]> {
  const rows = await sum<{ value: number }>(db, siteId, spans, sql`${figureSums[figure]} AS value`)
  return rows.map(({ value }) => value)
}
