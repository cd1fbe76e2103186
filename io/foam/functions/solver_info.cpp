// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"

#include <fmt/format.h>

namespace tessera::io::foam::functions {

/// Solver, residuals and iterations of the first solution of each field in the step: START/solverInfo.dat. Up to v1812
/// the type was called residuals and so was its file.
class SolverInfoTable : public FunctionObject {
 public:
  static inline std::string const help = "fields (T);";
  explicit SolverInfoTable(FunctionEntry const& entry)
      : SolverInfoTable(entry, "Solver information", "solverInfo.dat", "writeResidualFields") {}

 protected:
  SolverInfoTable(FunctionEntry const& entry, std::string_view title, std::string_view file,
                  std::string_view fields_key)
      : title_(title),
        file_(file),
        context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::in_cells)) {
    if (entry.dictionary.get_or<bool>(fields_key, false))
      entry.dictionary.fail(fields_key, fmt::format("{} yes is not supported, supported: no", fields_key));
  }

 public:
  void write(StepTime const& now, FunctionOutput& output) override {
    std::string text;
    if (!begun_) {
      text = columns_.comment(title_) + "\n" + columns_.comment("Time");
      for (auto const& field : fields_)
        for (char const* what : {"_solver", "_initial", "_final", "_iters", "_converged"})
          text += columns_.column(field + what);
      text += "\n";
      begun_ = true;
    }
    text += columns_.time(now);
    for (auto const& field : fields_)
      for (auto const& solve : context_.solves) {
        if (solve.field != field) continue;
        text +=
            fmt::format("\t{}\t{}\t{}\t{}\t{}", solve.preconditioner + solve.solver, columns_.scientific(solve.initial),
                        columns_.scientific(solve.final), solve.iterations, solve.converged);
        break;
      }
    output.append(context_.control.start_name() + "/" + file_, text + "\n");
  }

 private:
  std::string title_, file_;
  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  bool begun_ = false;
};

class Residuals final : public SolverInfoTable {
 public:
  explicit Residuals(FunctionEntry const& entry)
      : SolverInfoTable(entry, "Residuals", "residuals.dat", "writeFields") {}
};

[[maybe_unused]] static bool const added =
    FunctionObjects::add<SolverInfoTable>("solverInfo",
                                          "residuals and iterations of the linear solver, a row a step") &&
    FunctionObjects::add<Residuals>("residuals", "the same as solverInfo, by its name up to v1812");

}  // namespace tessera::io::foam::functions
