import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ByteBudget } from '@dtplatform/budget';

type Budgets = Map<string, ByteBudget>;

const measured = new WeakMap<Registry, Budgets>();

/** Adds budgets of memory, by what their memory is for, to the metrics of a process. */
export function measureBudgets(registry: Registry, budgets: Record<string, ByteBudget>): void {
  const all = measured.get(registry) ?? measure(registry);
  for (const [name, budget] of Object.entries(budgets)) all.set(name, budget);
}

function measure(registry: Registry): Budgets {
  const budgets: Budgets = new Map();
  measured.set(registry, budgets);
  const gauge = (name: string, help: string, read: (budget: ByteBudget) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['budget'],
      registers: [registry],
      collect() {
        for (const [name, budget] of budgets) this.set({ budget: name }, read(budget));
      },
    });
  gauge('memory_budget_bytes', 'Memory that may be reserved, by its use.', ({ totalBytes }) => totalBytes);
  gauge('memory_budget_used_bytes', 'Memory that is reserved.', ({ usedBytes }) => usedBytes);
  gauge('memory_budget_waiting', 'Requests that wait for memory.', (budget) => budget.waiting());
  return budgets;
}
