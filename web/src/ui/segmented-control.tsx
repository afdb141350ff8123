import { useId } from 'react';
import styles from './segmented-control.module.css';

type SegmentedControlProps = {
  value: string;
  data: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  size?: 'xs' | 'sm';
  'aria-label'?: string;
  'aria-labelledby'?: string;
};

/** Not the library's component, which measures the layout while the page is rendered. */
export function SegmentedControl({ value, data, onChange, size = 'sm', ...names }: SegmentedControlProps) {
  const name = useId();
  return (
    <div role="radiogroup" className={styles.group} data-size={size} {...names}>
      {data.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </div>
  );
}
