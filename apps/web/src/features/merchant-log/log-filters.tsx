import { DayRange } from '../../ui/data-table/day-range.tsx'
import { FilterBar } from '../../ui/data-table/filter-bar.tsx'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { isUserId, type LogFilter } from './log.api.ts'
import { useLogText } from './log.text.ts'

interface Props {
  filter: LogFilter
  onChange: (change: Record<string, string | undefined>) => void
}

/** Filters of the log: operator, user, kind and days. */
export function LogFilters({ filter, onChange }: Props) {
  const text = useLogText().log
  const { operator = '', person = '', action = '', from, to } = filter
  const byUser = (
    <SearchField
      label={text.person}
      found={person}
      fits={isUserId}
      onSearch={(wanted) => onChange({ person: wanted })}
    />
  )
  return (
    <FilterBar first={byUser} inUse={Boolean(operator || action || from || to)}>
      <SearchField
        label={text.operator}
        found={operator}
        fits={isUserId}
        onSearch={(wanted) => onChange({ operator: wanted })}
      />
      <select aria-label={text.action} value={action} onChange={({ target }) => onChange({ action: target.value })}>
        <option value="">{text.anyAction}</option>
        {Object.entries(text.kinds).map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>
      <DayRange label={text.days} {...(from && { from })} {...(to && { to })} onChange={onChange} />
    </FilterBar>
  )
}
