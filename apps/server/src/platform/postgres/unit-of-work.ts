import { AsyncLocalStorage } from 'node:async_hooks'
import type { ControlledTransaction, Kysely } from 'kysely'
import type { Db } from './db.ts'

type WriteAll<Item> = (db: Db, items: Item[]) => Promise<void>

interface Unit {
  transaction: Promise<ControlledTransaction<unknown>> | undefined
  /** One connection takes one statement at a time; a library may ask for several at once. */
  last: Promise<unknown>
  gathered: Map<WriteAll<never>, unknown[]>
}

type Work<Result> = (db: Db) => Promise<Result>

export interface UnitOfWork {
  read<Result>(work: Work<Result>): Promise<Result>
  write<Result>(work: Work<Result>): Promise<Result>
  /** What is written one by one and read by no later part of the unit: its items are written together, at its end. */
  gather<Item>(item: Item, writeAll: WriteAll<Item>): Promise<void>
  /**
   * Everything that `work` reads and writes from its first write on is one transaction. It commits where `keep` agrees
   * in the end.
   */
  together(work: () => Promise<void>, keep: () => boolean): Promise<void>
}

/** For a library that calls its store one statement at a time and knows no transactions. */
export function createUnitOfWork(db: Kysely<unknown>): UnitOfWork {
  const units = new AsyncLocalStorage<Unit>()

  async function inTurn<Result>(unit: Unit, transaction: Promise<Db>, work: Work<Result>): Promise<Result> {
    const turn = unit.last.then(async () => await work(await transaction))
    unit.last = turn.catch(() => {})
    return await turn
  }

  async function write<Result>(work: Work<Result>): Promise<Result> {
    const unit = units.getStore()
    if (!unit) return await work(db)
    unit.transaction ??= db.startTransaction().execute()
    return await inTurn(unit, unit.transaction, work)
  }

  async function writeGathered({ gathered }: Unit): Promise<void> {
    for (const [writeAll, items] of gathered) await write((tx) => writeAll(tx, items as never[]))
  }

  return {
    write,
    async read(work) {
      const unit = units.getStore()
      return unit?.transaction ? await inTurn(unit, unit.transaction, work) : await work(db)
    },
    async gather(item, writeAll) {
      const gathered = units.getStore()?.gathered
      if (!gathered) return await writeAll(db, [item])
      gathered.set(writeAll, [...(gathered.get(writeAll) ?? []), item])
    },
    async together(work, keep) {
      const unit: Unit = { transaction: undefined, last: Promise.resolve(), gathered: new Map() }
      await units.run(unit, async () => {
        let kept = false
        try {
          await work()
          if (keep()) {
            await writeGathered(unit)
            kept = true
          }
        } finally {
          await finish(unit, kept)
        }
      })
    },
  }
}

async function finish({ transaction, last }: Unit, kept: boolean): Promise<void> {
  const begun = await transaction
  if (!begun) return
  await last
  await (kept ? begun.commit() : begun.rollback()).execute()
}
