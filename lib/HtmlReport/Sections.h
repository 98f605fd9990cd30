// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_HTMLREPORT_SECTIONS_H
#define SHARDSMITH_LIB_HTMLREPORT_SECTIONS_H

#include "Markup.h"
#include "shardsmith/HtmlReport/HtmlReport.h"

namespace shardsmith::html {

/// Where time and memory go, as parts of a bar; parts of nothing are there too.
std::vector<BarPart> timeParts(const TimeSplit &time);
std::vector<BarPart> memoryParts(const MemorySplit &memory);

/// Several plans beside each other.
std::string comparison(std::span<const ReportedPlan> plans);
/// The plan and the others that its search kept, best first.
std::string ranking(const ReportedPlan &plan);
/// Memory and time of each pipeline rank.
std::string rankMemory(const ReportedPlan &plan);
std::string rankTimes(const ReportedPlan &plan);
/// Who does what when.
std::string timeline(const ReportedPlan &plan);
/// Which devices the groups of each axis are made of.
std::string meshPicture(const ReportedPlan &plan);
/// How parameters are split, layer by layer.
std::string parameterTable(const ReportedPlan &plan);
/// What other choices cost; empty if nothing was asked.
std::string sensitivity(const ReportedPlan &plan);

} // namespace shardsmith::html

#endif // SHARDSMITH_LIB_HTMLREPORT_SECTIONS_H
